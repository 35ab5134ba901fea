import { layers, namedFlavor } from '@protomaps/basemaps'
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { PMTiles, Protocol, TileType } from 'pmtiles'

const protocol = new Protocol()
/** Loads tiles of PMTiles files for the map. */
export const loadTile = protocol.tile

/** Whether a PMTiles file has vectors; otherwise pictures. Throws on failure. */
export async function hasVectors(address: string): Promise<boolean> {
  const file = protocol.get(address) ?? new PMTiles(address)
  protocol.add(file)
  return (await file.getHeader()).tileType === TileType.Mvt
}

/** A style of vectors in the Protomaps schema, with labels in a language. */
export const vectorStyle = (
  url: string,
  look: { scheme: 'light' | 'dark'; language: string; font: string[] },
): StyleSpecification => ({
  version: 8,
  sources: { streets: { type: 'vector', url } },
  layers: layers('streets', namedFlavor(look.scheme), { lang: look.language }).map((layer) =>
    withFont(layer as LayerSpecification, look.font),
  ),
})

/** Labels in another font, without icons: no fonts or icons are fetched. */
function withFont(layer: LayerSpecification, font: string[]): LayerSpecification {
  if (layer.type !== 'symbol') return layer
  const { 'icon-image': _icon, ...layout } = layer.layout ?? {}
  return { ...layer, layout: { ...layout, 'text-font': font } }
}
