/** Audio/… for a container that could contain pictures but does not. */
export const soundOnly = (content_type: string): string =>
  content_type.replace(/^video\/(mp4|3gpp2?|webm)$/, 'audio/$1')
