export { ApiProblem, ResponseShapeError } from './errors.ts'
export {
  makeClient,
  endpointOf,
  makeClientOf,
  type CallOptions,
  type Client,
  type ClientOf,
  type ClientOptions,
  type Credentials,
} from './client.ts'
export { flattenQuery } from './query.ts'
export { shareCalls } from './share-calls.ts'
