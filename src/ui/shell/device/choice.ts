/**
 * The user's choice of device. It is not a setting of the run: curves are the same on every device, up to
 * rounding. An address may set it for one page; otherwise the stored choice applies.
 */
import { create } from 'zustand';
import { quoted } from '../../../config/settle.ts';
import { type DeviceChoice, deviceChoices } from '../../../lab/protocol.ts';
import { withParameter } from '../address/address.ts';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';

const NAME = 'device';

export const useDeviceChoice = create<{
  readonly choice: DeviceChoice;
  /** Set by the address. */
  readonly addressed: boolean;
}>()(() => ({ choice: keptChoice(), addressed: false }));

whenForgotten(() => useDeviceChoice.setState({ choice: 'auto', addressed: false }));

function keptChoice(): DeviceChoice {
  const kept = readKept(NAME);
  return deviceChoices.find((choice) => choice === kept) ?? 'auto';
}

/** Reads the choice of an address; returns a note if it is invalid. */
export function takeAddressedDevice(search: string): readonly string[] {
  const text = new URLSearchParams(search).get(NAME);
  if (text === null) return [];
  const choice = deviceChoices.find((name) => name === text);
  if (choice !== undefined) {
    useDeviceChoice.setState({ choice, addressed: true });
    return [];
  }
  return [
    `The address has device=${quoted(text)}, which is not ${deviceChoices.slice(0, -1).join(', ')} or ${deviceChoices.at(-1)}; ${keptChoice()} is used.`,
  ];
}

/** Adds the choice to an address if the page's own address had set it. */
export function withDevice(address: string): string {
  const { choice, addressed } = useDeviceChoice.getState();
  return addressed ? withParameter(address, NAME, choice) : address;
}

/** Stores the choice. */
export function keepDeviceChoice(choice: DeviceChoice): void {
  writeKept(NAME, choice);
  useDeviceChoice.setState({ choice, addressed: false });
}
