/** An environment's description: metadata, JSON Schemas and an OpenAPI document. */

import { titleOf } from '../../envs/registry.ts';
import type { Served } from '../dialect.ts';
import type { JsonObject } from './session.ts';

/** OpenEnv's validator accepts any version 1.x. */
const API_VERSION = '1.0.0';

export const metadataOf = ({ dialect, ids }: Served): JsonObject => ({
  name: dialect.path,
  description: titleOf(ids[0] ?? dialect.path),
  readme_content: null,
  version: API_VERSION,
  author: 'Palestra',
  documentation_url: null,
});

const nullable = (type: string): JsonObject => ({ anyOf: [{ type }, { type: 'null' }] });

const metadata: JsonObject = { type: 'object', additionalProperties: true, default: {} };

/** Exactly one required string, so that clients can pass the text of a model without a wrapper. */
const action: JsonObject = {
  title: 'PalestraAction',
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The action, in the syntax of the environment' },
    metadata,
  },
  required: ['message'],
  additionalProperties: false,
};

const observation: JsonObject = {
  title: 'PalestraObservation',
  type: 'object',
  properties: {
    prompt: { type: 'string', description: 'The environment’s instructions for the agent' },
    observation: { type: 'string', description: 'What the agent reads' },
    turn: { type: 'integer', minimum: 0 },
    truncated: { type: 'boolean', description: 'Truncated by max_turns' },
    understood: {
      type: 'boolean',
      description: 'Whether the last message was recognized as an action',
    },
    score: { type: 'number', description: 'Sum of rewards so far' },
    success: { type: 'boolean' },
    task_id: { type: 'string' },
    reward: nullable('number'),
    done: { type: 'boolean' },
    metadata,
  },
  required: ['observation', 'task_id'],
  additionalProperties: false,
};

const state: JsonObject = {
  title: 'PalestraState',
  type: 'object',
  properties: {
    episode_id: nullable('string'),
    step_count: { type: 'integer', minimum: 0 },
    task_id: nullable('string'),
    env: nullable('string'),
  },
  additionalProperties: true,
};

export const schemas: JsonObject = { action, observation, state };

const reply = (description: string): JsonObject => ({
  responses: { 200: { description, content: { 'application/json': {} } } },
});

const body = (schema: JsonObject): JsonObject => ({
  requestBody: { content: { 'application/json': { schema } } },
});

const resetBody: JsonObject = {
  type: 'object',
  properties: {
    seed: { type: 'integer', minimum: 0 },
    episode_id: { type: 'string', maxLength: 255 },
    task_id: { type: 'string' },
    data_idx: { type: 'integer', minimum: 0 },
    split: { enum: ['train', 'eval'] },
    max_turns: { type: 'integer', minimum: 1 },
  },
};

const stepBody: JsonObject = { type: 'object', properties: { action }, required: ['action'] };

export const openApiOf = ({ dialect }: Served): JsonObject => ({
  openapi: '3.1.0',
  info: { title: `Palestra ${dialect.path}`, version: API_VERSION },
  paths: {
    '/health': { get: reply('healthy') },
    '/metadata': { get: reply('Metadata of the environment') },
    '/schema': { get: reply('JSON Schemas of action, observation and state') },
    '/reset': { post: { ...body(resetBody), ...reply('First observation of a new environment') } },
    '/step': { post: { ...body(stepBody), ...reply('One step in a new environment') } },
    '/state': { get: reply('State of a new environment') },
    '/mcp': { post: reply('JSON-RPC 2.0') },
  },
});
