/** Tools in the prompt of AgentGym's client that no goal here needs: each returns several temperatures. */

import { current, forecast, historical, type Series } from './tools.ts';

const description = 'the highest, the lowest and the mean temperature of each day in degrees';

/** The mean is halfway between the highest and the lowest. */
const temperatures: Series = ({ days }, from, to) => {
  const highest = days.temperature_2m_max.slice(from, to);
  const lowest = days.temperature_2m_min.slice(from, to);
  return {
    temperature_2m_max: highest,
    temperature_2m_min: lowest,
    temperature_2m_mean: highest.map((high, i) => (high + (lowest[i] ?? high)) / 2),
  };
};

export const originalWeatherTools = [
  historical('get_historical_temp', description, temperatures),
  forecast('get_temp_forecast', description, temperatures),
  current('get_current_temp', description, temperatures),
];
