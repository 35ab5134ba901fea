/** Formats logged parameters: indented JSON, else unchanged. */
export function prettyParameters(parameters: string): string {
  try {
    return JSON.stringify(JSON.parse(parameters), undefined, 2)
  } catch {
    return parameters
  }
}
