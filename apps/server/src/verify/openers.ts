import { Worker } from 'node:worker_threads'
import type { OpenerSettings, OpenResult, OpenTask } from './open-protocol.ts'

/** Threads that open objects. */
export interface Openers {
  /** Opens what is asked for, each result in the place of its task, as soon as a thread is free. */
  open(tasks: OpenTask[]): Promise<OpenResult[]>
  readonly size: number
  close(): Promise<void>
}

interface Opener {
  worker: Worker
  /** Settles the tasks under way. */
  done?: { resolve(results: OpenResult[]): void; reject(error: unknown): void } | undefined
}

/** Starts `size` threads. One that ends by itself fails what it was asked for, and all that is asked for afterwards. */
export function startOpeners(settings: OpenerSettings, size: number): Openers {
  const waiting: ((opener: Opener) => void)[] = []
  const free: Opener[] = []
  let failure: unknown
  const openers = Array.from({ length: size }, () => {
    const opener: Opener = {
      worker: new Worker(new URL('./open-worker.ts', import.meta.url), { workerData: settings }),
    }
    opener.worker.on('message', (results: OpenResult[]) => {
      const { done } = opener
      opener.done = undefined
      giveBack(opener)
      done?.resolve(results)
    })
    const fail = (error: unknown) => {
      failure ??= error
      opener.done?.reject(error)
    }
    opener.worker.on('error', fail)
    opener.worker.on('exit', (code) => fail(new Error(`a thread that opens objects ended with ${code}`)))
    free.push(opener)
    return opener
  })

  function giveBack(opener: Opener): void {
    const next = waiting.shift()
    if (next) next(opener)
    else free.push(opener)
  }

  return {
    size,
    async open(tasks) {
      if (failure !== undefined) throw failure
      const opener = free.shift() ?? (await new Promise<Opener>((resolve) => waiting.push(resolve)))
      return new Promise((resolve, reject) => {
        opener.done = { resolve, reject }
        opener.worker.postMessage(tasks)
      })
    },
    async close() {
      await Promise.all(openers.map(({ worker }) => worker.terminate()))
    },
  }
}
