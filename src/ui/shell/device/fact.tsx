import { Popover } from '@mantine/core';
import { Suspense } from 'react';
import type { Machine } from '../../../lab/protocol.ts';
import { loadedLater } from '../comfort/release.ts';
import { useDeviceChoice } from './choice.ts';
import './device.css';
import { deviceName, fasterLine, type Surroundings, whatWouldBeFaster } from './words.ts';

const GpuSteps = loadedLater(async () => (await import('./gpu-steps.tsx')).GpuSteps);

function surroundings(): Surroundings {
  return {
    isolated: crossOriginIsolated,
    cores: navigator.hardwareConcurrency,
    secure: isSecureContext,
    reloadIsolates: 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null,
  };
}

/** The device of the run, its threads, and what would be faster. */
export function DeviceFact({ machine }: { readonly machine: Machine | null }) {
  const choice = useDeviceChoice((device) => device.choice);
  const faster = machine === null ? [] : whatWouldBeFaster(machine, choice, surroundings());
  const line = fasterLine(faster);
  return (
    <div className="fact-adapter">
      <dt>Computed on</dt>
      <dd data-testid="adapter" title={machine?.adapter}>
        {machine === null ? '–' : deviceName(machine)}
        {line === null ? null : (
          <Popover width="min(420px, 92vw)" position="bottom-start" shadow="md" withArrow trapFocus>
            <Popover.Target>
              <button type="button" className="faster" data-testid="faster">
                {line}
              </button>
            </Popover.Target>
            <Popover.Dropdown className="faster-card" data-testid="faster-card">
              {faster.map(({ title, text, steps }) => (
                <section key={title}>
                  <h3>{title}</h3>
                  <p>{text}</p>
                  {steps ? (
                    <>
                      <p>If this machine has a GPU, you can make the browser use it:</p>
                      <Suspense>
                        <GpuSteps />
                      </Suspense>
                    </>
                  ) : null}
                </section>
              ))}
            </Popover.Dropdown>
          </Popover>
        )}
      </dd>
    </div>
  );
}
