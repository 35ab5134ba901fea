import type { ReactNode } from 'react'

/** A term and what is known about it; a value of undefined or null is left out. */
export type Fact = readonly [term: ReactNode, value: ReactNode]
