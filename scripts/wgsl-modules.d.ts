declare module '*.wgsl' {
  const shader: import('../src/device/device.ts').Shader;
  export default shader;
}

// The package's entry for Node is CommonJS that says it is a module; its browser file runs in both.
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
