import { NumberInput } from '@mantine/core';
import { useState } from 'react';

interface WholeInputProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Receives integers within the bounds. */
  readonly onChange: (value: number) => void;
}

/** An input for an integer. While it is edited, it may be empty or out of bounds. */
export function WholeInput({ value, min, max, onChange, ...shown }: WholeInputProps) {
  const [typed, setTyped] = useState<number | string>(value);
  return (
    <NumberInput
      {...{ ...shown, min, max, value: typed }}
      allowDecimal={false}
      allowNegative={min < 0}
      onChange={(next) => {
        setTyped(next);
        const number = next === '' ? Number.NaN : Number(next);
        if (number >= min && number <= max) onChange(number);
      }}
      // The input itself clamps what is out of bounds.
      onBlur={() => {
        if (typed === '') setTyped(value);
      }}
    />
  );
}
