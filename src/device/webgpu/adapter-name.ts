/** Vendor spellings of names that WebGPU reports in lower case. */
const spellings: Readonly<Record<string, string>> = {
  amd: 'AMD',
  arm: 'ARM',
  img: 'Imagination',
  nvidia: 'NVIDIA',
  swiftshader: 'SwiftShader',
};

/** The adapter's display name: the driver's description, or vendor and architecture without one. */
export function adapterName(adapter: {
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
}): string {
  if (adapter.description !== '') return adapter.description;
  const parts = [adapter.vendor, adapter.architecture].filter((part) => part !== '');
  const name = parts
    .map((part) => spellings[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');
  return name === '' ? 'an adapter that gives no name' : name;
}
