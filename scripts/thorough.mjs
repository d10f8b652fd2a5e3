/** Whether tests run at full size, as `npm test -- --thorough` requests. */
export const thorough = process.env.PALESTRA_THOROUGH === 'yes';
