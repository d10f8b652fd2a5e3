import { Button } from '@mantine/core';
import { IconCpu, IconPlayerPlay } from '@tabler/icons-react';
import { useDeviceChoice } from '../device/choice.ts';
import { GpuSteps } from '../device/gpu-steps.tsx';
import { chooseDevice } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { openPlay } from '../play/wanted.ts';
import { webGpuAdvice } from './webgpu-advice.ts';

/** What to do where nothing can train, and what works all the same. */
export function CannotTrain() {
  const error = useLab((lab) => lab.error);
  const choice = useDeviceChoice((device) => device.choice);
  const { browser, platform } = webGpuAdvice(navigator.userAgent, true, true);
  const where = platform === 'unknown' ? browser : `${browser} on ${platform}`;
  return (
    <section className="without" aria-labelledby="without-title" data-testid="cannot-train">
      <div>
        <p className="story-intro">Palestra trains on your GPU or on your processor.</p>
        <h1 id="without-title">
          {choice === 'webgpu' ? 'There is no GPU here.' : 'Nothing here can train.'}
        </h1>
        <p className="story-detail">
          {choice === 'webgpu'
            ? 'A GPU was asked for, and the browser offers none. The processor can train as well.'
            : 'The environments are open all the same: watch the expert or an agent that was trained elsewhere, play them yourself, and look through the settings.'}
        </p>
        {error === null ? null : <p className="without-error">{error.message}</p>}
        <div className="without-ways">
          {choice === 'webgpu' ? (
            <Button leftSection={<IconCpu size={16} />} onClick={() => chooseDevice('processor')}>
              Train on the processor
            </Button>
          ) : null}
          <Button
            variant={choice === 'webgpu' ? 'default' : 'filled'}
            leftSection={<IconPlayerPlay size={16} />}
            onClick={() => openPlay(true)}
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
