const TRACE_PARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/

/**
 * The trace id of a `traceparent` header (W3C Trace Context, section 3.2) as a log field; empty without the
 * header.
 */
export function traceField(header: string | string[] | undefined): { trace_id?: string } {
  const [, trace_id] = (typeof header === 'string' && TRACE_PARENT.exec(header)) || []
  return trace_id ? { trace_id } : {}
}
