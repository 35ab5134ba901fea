/** A chosen file, and its name in the drop folder. */
export interface ChosenFile {
  filename: string
  read: () => Promise<File>
}

/** Two chosen files have one place in the drop folder, where the second would replace the first. */
export class DuplicatePath extends Error {
  readonly filename: string
  constructor(filename: string) {
    super(`two files for ${filename}`)
    this.filename = filename
  }
}

/**
 * The chosen files, those inside of zip files, and those of a folder, each with its place in the drop folder. Throws
 * SamePlace.
 */
export async function chosenFiles(files: readonly File[]): Promise<ChosenFile[]> {
  const chosen: ChosenFile[] = []
  for (const file of files) {
    if (/\.zip$/i.test(file.name)) chosen.push(...(await filesInZip(file)))
    else chosen.push({ filename: getPlace(file.webkitRelativePath || file.name), read: async () => file })
  }
  const visible = chosen.filter(({ filename }) => !/(?:^|\/)\./.test(filename))
  const places = new Set<string>()
  for (const { filename } of visible) {
    if (places.has(filename)) throw new DuplicatePath(filename)
    places.add(filename)
  }
  return visible
}

async function filesInZip(zip: File): Promise<ChosenFile[]> {
  const { BlobReader, BlobWriter, configure, ZipReader } = await import('@zip.js/zip.js')
  // The portal allows no workers from other places.
  configure({ useWebWorkers: false })
  const entries = await new ZipReader(new BlobReader(zip)).getEntries()
  return entries.flatMap((entry) =>
    entry.directory || entry.filename.startsWith('__MACOSX/')
      ? []
      : [
          {
            filename: getPlace(entry.filename),
            read: async () =>
              new File([await entry.getData(new BlobWriter(), { checkSignature: true })], entry.filename, {
                lastModified: entry.lastModDate.getTime(),
              }),
          },
        ],
  )
}

/** Files with rows and the manifest are at the top of the drop folder, all others below `media/`. */
export function getPlace(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const media = /(?:^|\/)(media\/.+)$/.exec(path)?.[1]
  if (media !== undefined) return media
  return /\.(?:csv|ndjson)$/i.test(name) || name === 'manifest.json' ? name : `media/${name}`
}
