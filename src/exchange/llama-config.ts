/** What the policy's Llama block has fixed. */
export const RMS_NORM_EPS = 1e-5;
export const ROPE_THETA = 10_000;
