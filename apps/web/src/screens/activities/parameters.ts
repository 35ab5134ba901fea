/** Parameters of a logged call as they are read best: indented when they are JSON, else as they were logged. */
export function prettyParameters(parameters: string): string {
  try {
    return JSON.stringify(JSON.parse(parameters), undefined, 2)
  } catch {
    return parameters
  }
}
