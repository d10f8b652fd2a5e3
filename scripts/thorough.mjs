/** Whether tests play all that they can, as `npm test -- --thorough` asks, or a part of it. */
export const thorough = process.env.PALESTRA_THOROUGH === 'yes';
