export { ApiProblem, ResponseShapeError } from './errors.ts'
export {
  makeClient,
  getEndpoint,
  makeClientOf,
  type CallOptions,
  type Client,
  type ClientOf,
  type ClientOptions,
  type Credentials,
} from './client.ts'
export { flattenQuery } from './query.ts'
export { shareCalls } from './share-calls.ts'
