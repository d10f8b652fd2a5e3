// Counter-based generator Philox4x32-10 (Salmon et al., SC 2011). Prepended to the kernels that
// sample.

fn mul_high(a: u32, b: u32) -> u32 {
  let a_low = a & 0xffffu;
  let a_high = a >> 16u;
  let b_low = b & 0xffffu;
  let b_high = b >> 16u;
  let cross = a_high * b_low + ((a_low * b_low) >> 16u);
  let cross_low = a_low * b_high + (cross & 0xffffu);
  return a_high * b_high + (cross >> 16u) + (cross_low >> 16u);
}

fn philox(counter_in: vec4u, key_in: vec2u) -> vec4u {
  var counter = counter_in;
  var key = key_in;
  for (var round = 0u; round < 10u; round++) {
    let high0 = mul_high(0xD2511F53u, counter.x);
    let low0 = 0xD2511F53u * counter.x;
    let high1 = mul_high(0xCD9E8D57u, counter.z);
    let low1 = 0xCD9E8D57u * counter.z;
    counter = vec4u(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key += vec2u(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}
