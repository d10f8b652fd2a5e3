declare module '*.wgsl' {
  const shader: import('../src/device/device.ts').Shader;
  export default shader;
}

// The package's Node entry is CommonJS but declared as a module; its browser file works in Node and in
// browsers.
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
