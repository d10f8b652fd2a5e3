/**
 * What the visitor wants to compute on. It is no part of a run's settings: the same run can be computed
 * anywhere. An address may name it, for this page alone; else what was chosen here before counts.
 */
import { create } from 'zustand';
import { quoted } from '../../config/settle.ts';
import { type DeviceChoice, deviceChoices } from '../../lab/protocol.ts';
import { withParameter } from '../address/address.ts';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';

const NAME = 'device';

export const useDeviceChoice = create<{
  readonly choice: DeviceChoice;
  /** The address names it. */
  readonly addressed: boolean;
}>()(() => ({ choice: keptChoice(), addressed: false }));

whenForgotten(() => useDeviceChoice.setState({ choice: 'auto', addressed: false }));

function keptChoice(): DeviceChoice {
  const kept = readKept(NAME);
  return deviceChoices.find((choice) => choice === kept) ?? 'auto';
}

/** Takes the choice that an address names; a note where that is none. */
export function takeAddressedDevice(search: string): readonly string[] {
  const text = new URLSearchParams(search).get(NAME);
  if (text === null) return [];
  const choice = deviceChoices.find((name) => name === text);
  if (choice !== undefined) {
    useDeviceChoice.setState({ choice, addressed: true });
    return [];
  }
  return [
    `device was ${quoted(text)} in the address, but must be ${deviceChoices.slice(0, -1).join(', ')} or ${deviceChoices.at(-1)}; ${keptChoice()} is used.`,
  ];
}

/** An address as `writeAddress` gives it, with the choice where the page's own address named it. */
export function withDevice(address: string): string {
  const { choice, addressed } = useDeviceChoice.getState();
  return addressed ? withParameter(address, NAME, choice) : address;
}

/** Keeps a choice for this visit and the next ones. */
export function keepDeviceChoice(choice: DeviceChoice): void {
  writeKept(NAME, choice);
  useDeviceChoice.setState({ choice, addressed: false });
}
