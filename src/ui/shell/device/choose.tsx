import { SegmentedControl } from '@mantine/core';
import type { DeviceChoice } from '../../../lab/protocol.ts';
import { deviceChoices } from '../../../lab/protocol.ts';
import { chooseDevice } from '../lab/commands.ts';
import { useDeviceChoice } from './choice.ts';
import './device.css';

const titles: Readonly<Record<DeviceChoice, string>> = {
  auto: 'Automatic',
  webgpu: 'GPU',
  processor: 'Processor',
};

/** Selects the device; takes effect immediately. */
export function DeviceChooser() {
  const choice = useDeviceChoice((device) => device.choice);
  return (
    <section className="device-choice" aria-labelledby="device-choice-title">
      <h3 id="device-choice-title">Computed on</h3>
      <p>
        The run moves to the selected device immediately. Automatic uses a GPU if there is one.
        Devices round differently, so a moved run is no longer bit-identical.
      </p>
      <SegmentedControl
        fullWidth
        aria-label="Computed on"
        value={choice}
        onChange={chooseDevice}
        data={deviceChoices.map((value) => ({ value, label: titles[value] }))}
      />
    </section>
  );
}
