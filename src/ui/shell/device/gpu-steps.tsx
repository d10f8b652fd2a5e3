import { webGpuAdvice } from '../notices/webgpu-advice.ts';

/** How to enable WebGPU in this browser on this platform. */
export function GpuSteps() {
  const { steps } = webGpuAdvice(
    navigator,
    window.isSecureContext,
    'gpu' in navigator && navigator.gpu !== undefined,
  );
  return (
    <ol className="gpu-steps">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}
