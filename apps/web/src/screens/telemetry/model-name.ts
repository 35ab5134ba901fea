import type { DeviceFacts } from '@custodia/contract'

/** Manufacturer and model, without repeating a manufacturer that the model starts with. */
export function modelName({ manufacturer, model }: Pick<DeviceFacts, 'manufacturer' | 'model'>): string {
  const hasMaker = !manufacturer || `${model} `.toLowerCase().startsWith(`${manufacturer} `.toLowerCase())
  return hasMaker ? model : `${manufacturer} ${model}`
}
