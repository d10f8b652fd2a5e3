import { NumberInput } from '@mantine/core';

interface WholeInputProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

/** An input for an integer, clamped to its bounds. */
export function WholeInput({ min, max, onChange, ...shown }: WholeInputProps) {
  return (
    <NumberInput
      {...{ ...shown, min, max }}
      allowDecimal={false}
      onChange={(value) => onChange(Math.min(max, Math.max(min, Math.round(Number(value)) || min)))}
    />
  );
}
