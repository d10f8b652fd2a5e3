import { SegmentedControl } from '@mantine/core';
import type { DeviceChoice } from '../../lab/protocol.ts';
import { deviceChoices } from '../../lab/protocol.ts';
import { chooseDevice } from '../lab/commands.ts';
import { useDeviceChoice } from './choice.ts';
import './device.css';

const titles: Readonly<Record<DeviceChoice, string>> = {
  auto: 'Automatic',
  webgpu: 'GPU',
  processor: 'Processor',
};

/** What the visitor wants to compute on; it takes effect at once. */
export function DeviceChooser() {
  const choice = useDeviceChoice((device) => device.choice);
  return (
    <section className="device-choice" aria-labelledby="device-choice-title">
      <h3 id="device-choice-title">Computed on</h3>
      <p>
        No part of the run: it goes on where you choose, at once. Automatic takes a GPU where there
        is one. Devices round differently, so a run that moves is no longer the same to the bit.
      </p>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label="Computed on"
        value={choice}
        onChange={(value) => {
          const chosen = deviceChoices.find((name) => name === value);
          if (chosen !== undefined) chooseDevice(chosen);
        }}
        data={deviceChoices.map((value) => ({ value, label: titles[value] }))}
      />
    </section>
  );
}
