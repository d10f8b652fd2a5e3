declare module '*.wgsl' {
  const code: string;
  export default code;
}

// The package's entry for Node is CommonJS that says it is a module; its browser file runs in both.
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
