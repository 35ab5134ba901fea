/** What problems are called in every language: a file of its own, which comes a moment after the page. */
export { PROBLEMS } from '@custodia/contract'
