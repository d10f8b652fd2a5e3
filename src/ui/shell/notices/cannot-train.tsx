import { Button } from '@mantine/core';
import { IconCpu, IconPlayerPlay } from '@tabler/icons-react';
import { useDeviceChoice } from '../device/choice.ts';
import { GpuSteps } from '../device/gpu-steps.tsx';
import { chooseDevice } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { openPanel } from '../page/panels.ts';
import { webGpuAdvice } from './webgpu-advice.ts';

/** Advice when no device can train, and what works without one. */
export function CannotTrain() {
  const error = useLab((lab) => lab.error);
  const choice = useDeviceChoice((device) => device.choice);
  const { browser, platform } = webGpuAdvice(navigator, true, true);
  const where = platform === 'unknown' ? browser : `${browser} on ${platform}`;
  return (
    <section className="without" aria-labelledby="without-title" data-testid="cannot-train">
      <div>
        <p className="story-intro">Palestra trains on your GPU or on your processor.</p>
        <h1 id="without-title">
          {choice === 'webgpu' ? 'No GPU available' : 'This browser cannot train'}
        </h1>
        <p className="story-detail">
          {choice === 'webgpu'
            ? 'WebGPU is selected, but the browser offers no GPU. You can train on the processor instead.'
            : 'You can still watch the expert or a trained agent, play the environments yourself and explore the settings.'}
        </p>
        {error === null ? null : <p className="without-error">{error.message}</p>}
        <div className="without-ways">
          {choice === 'webgpu' ? (
            <Button
              size="sm"
              variant="filled"
              leftSection={<IconCpu size={16} />}
              onClick={() => chooseDevice('processor')}
            >
              Train on the processor
            </Button>
          ) : null}
          <Button
            size="sm"
            variant={choice === 'webgpu' ? 'default' : 'filled'}
            leftSection={<IconPlayerPlay size={16} />}
            onClick={() => openPanel('play')}
          >
            Watch a trained agent
          </Button>
        </div>
      </div>
      <div className="card without-steps">
        <h2>For a GPU, in {where}</h2>
        <GpuSteps />
      </div>
    </section>
  );
}
