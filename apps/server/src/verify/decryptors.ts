import { Worker } from 'node:worker_threads'
import type { DecryptorSettings, OpenResult, OpenTask } from './open-protocol.ts'

/** Threads that open objects. */
export interface Decryptors {
  /** Opens what is asked for, each result in the place of its task, as soon as a thread is free. */
  open(tasks: OpenTask[]): Promise<OpenResult[]>
  readonly size: number
  close(): Promise<void>
}

interface Decryptor {
  worker: Worker
  /** Settles the tasks under way. */
  done?: { resolve(results: OpenResult[]): void; reject(error: unknown): void } | undefined
}

/** Starts `size` threads. One that ends by itself fails what it was asked for, and all that is asked for afterwards. */
export function startDecryptors(settings: DecryptorSettings, size: number): Decryptors {
  const waiting: ((decryptor: Decryptor) => void)[] = []
  const free: Decryptor[] = []
  let failure: unknown
  const decryptors = Array.from({ length: size }, () => {
    const decryptor: Decryptor = {
      worker: new Worker(new URL('./open-worker.ts', import.meta.url), { workerData: settings }),
    }
    decryptor.worker.on('message', (results: OpenResult[]) => {
      const { done } = decryptor
      decryptor.done = undefined
      giveBack(decryptor)
      done?.resolve(results)
    })
    const fail = (error: unknown) => {
      failure ??= error
      decryptor.done?.reject(error)
    }
    decryptor.worker.on('error', fail)
    decryptor.worker.on('exit', (code) => fail(new Error(`a thread that opens objects ended with ${code}`)))
    free.push(decryptor)
    return decryptor
  })

  function giveBack(decryptor: Decryptor): void {
    const next = waiting.shift()
    if (next) next(decryptor)
    else free.push(decryptor)
  }

  return {
    size,
    async open(tasks) {
      if (failure !== undefined) throw failure
      const decryptor = free.shift() ?? (await new Promise<Decryptor>((resolve) => waiting.push(resolve)))
      return new Promise((resolve, reject) => {
        decryptor.done = { resolve, reject }
        decryptor.worker.postMessage(tasks)
      })
    },
    async close() {
      await Promise.all(decryptors.map(({ worker }) => worker.terminate()))
    },
  }
}
