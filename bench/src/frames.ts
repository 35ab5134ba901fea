import type { Page } from '@playwright/test'

/** Milliseconds between the frames that a page painted during `act`. */
export async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = []
    let last = performance.now()
    const note = (now: number) => {
      frames.push(now - last)
      last = now
      if ('frames' in globalThis) requestAnimationFrame(note)
    }
    Object.assign(globalThis, { frames })
    requestAnimationFrame(note)
  })
  await act()
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: number[] }
    Reflect.deleteProperty(globalThis, 'frames')
    return frames
  })
}
