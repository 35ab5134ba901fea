export { ApiProblem, ResponseShapeError, describeShapeFailure } from './errors.ts'
export { makeClient, type Client, type ClientOptions, type Credentials } from './client.ts'
export { flattenQuery } from './query.ts'
export { shareCalls } from './share-calls.ts'
