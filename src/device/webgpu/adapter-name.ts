/** Vendor spellings of names that WebGPU reports in lower case. */
const spellings: Readonly<Record<string, string>> = {
  amd: 'AMD',
  arm: 'ARM',
  img: 'Imagination',
  nvidia: 'NVIDIA',
  swiftshader: 'SwiftShader',
  warp: 'WARP',
};

type AdapterInfo = Pick<GPUAdapterInfo, 'vendor' | 'architecture' | 'description'>;

/** The driver's details, for reports. */
export function adapterDetail({ vendor, architecture, description }: AdapterInfo): string {
  return [vendor, architecture, description].filter((part) => part !== '').join(', ');
}

/** Whether the processor emulates the adapter. Older browsers lack `isFallbackAdapter`. */
export function isSoftware(adapter: AdapterInfo & Partial<GPUAdapterInfo>): boolean {
  return (
    adapter.isFallbackAdapter === true ||
    /swiftshader|llvmpipe|software|basic render|\bwarp\b/i.test(adapterDetail(adapter))
  );
}

/** The adapter's display name: the driver's description, or vendor and architecture without one. */
export function adapterName(adapter: AdapterInfo): string {
  if (adapter.description !== '') return adapter.description;
  const parts = [adapter.vendor, adapter.architecture].filter((part) => part !== '');
  const name = parts
    .map((part) => spellings[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');
  return name === '' ? 'an adapter that gives no name' : name;
}
