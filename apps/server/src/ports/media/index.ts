export { EXIF_HEAD, readExif } from './thumbnail.ts'
export { getCost, CPU_SECONDS, RENDERED_RATE } from './limits.ts'
export { peaks } from './probe.ts'
export { playability, type Playability } from './playability.ts'
export {
  type Container,
  type Draft,
  MediaError,
  type MediaErrorCode,
  type MediaLimits,
  type MediaOptions,
  type MediaSource,
  type Probe,
  type Rendition,
  type SniffedType,
} from './port.ts'
export type { MediaTools } from './tools.ts'
export { probe } from './probe.ts'
export { renderAudio, renderImage, renderVideo } from './render.ts'
export { sniff, SNIFF_SIZE } from './sniff.ts'
export { renderThumbnail } from './thumbnail.ts'
export { describeMedia, detectMedia } from './tools.ts'
export { hasBuiltInReader, openSound } from './sound/open-sound.ts'
