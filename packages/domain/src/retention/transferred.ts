/** That a payload was delivered to the storage of a transfer config, and when it was first; epoch seconds. */
export interface Delivery {
  transfer_config_reference: string
  transferred_at: number
}

/**
 * When a payload counts as transferred: at the newest first delivery among the required configs, or at the first of
 * all if none is required; null: not yet. Another check requires a delivery by every config.
 */
export function transferredAt(required: readonly string[], deliveries: readonly Delivery[]): number | null {
  const counting =
    required.length === 0
      ? deliveries
      : deliveries.filter(({ transfer_config_reference }) => required.includes(transfer_config_reference))
  const times = counting.map(({ transferred_at }) => transferred_at)
  if (times.length === 0) return null
  return required.length === 0 ? Math.min(...times) : Math.max(...times)
}

/** The configs that delivered it. */
export const deliveredBy = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ transfer_config_reference }) => transfer_config_reference)
