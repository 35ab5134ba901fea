import type { DeviceFacts } from '@custodia/contract'

/** Maker and model as one name. Many phones begin their model with its maker, who is then not said twice. */
export function modelName({ manufacturer, model }: Pick<DeviceFacts, 'manufacturer' | 'model'>): string {
  const isSaid = !manufacturer || `${model} `.toLowerCase().startsWith(`${manufacturer} `.toLowerCase())
  return isSaid ? model : `${manufacturer} ${model}`
}
