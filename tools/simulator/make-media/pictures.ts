import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { ffmpeg } from './run.ts'

/** Pictures drawn as SVG and photographed by a headless Chromium, then saved as JPEG with some camera noise. */
export type Picture = {
  file: string
  kind: 'photo' | 'mms'
  title: string
  width: number
  height: number
  svg: string
}

const hand = 'font-family="DejaVu Sans" font-style="italic"'
const rough =
  '<filter id="rough"><feTurbulence baseFrequency="0.03" numOctaves="2" seed="4"/><feDisplacementMap in="SourceGraphic" scale="5"/></filter>'

const whiteboard = `<rect width="1280" height="960" fill="#b9b2a6"/><linearGradient id="b" x2="1" y2="1"><stop stop-color="#fdfdfb"/><stop offset="1" stop-color="#dfe2e4"/></linearGradient>
<g transform="rotate(-1.2 640 480)"><rect x="70" y="70" width="1140" height="790" fill="url(#b)" stroke="#8d9196" stroke-width="16"/>
<g filter="url(#rough)" fill="none" stroke-width="6" stroke-linecap="round" ${hand}>
<text x="120" y="170" font-size="54" fill="#1d3f9e" stroke="none">Q3 hedging plan</text><path d="M118 192H590" stroke="#1d3f9e"/>
<path d="M160 760V330M160 760H640" stroke="#222"/><path d="M170 700 C260 690 280 560 360 580 S470 430 610 380" stroke="#c0272d"/><path d="M170 640 C300 620 420 600 610 560" stroke="#1b7f3b" stroke-dasharray="18 16"/>
<g stroke="none" font-size="36"><text x="400" y="340" fill="#c0272d">EUR exposure</text><text x="470" y="640" fill="#1b7f3b">hedged 60 %</text>
<text x="730" y="300" fill="#222">1. forwards Jul - Sep</text><text x="730" y="370" fill="#222">2. collar on the rest</text><text x="730" y="440" fill="#222">3. report to board 14/10</text><text x="730" y="590" fill="#c0272d" font-size="44">limit: 2.5 M !</text></g><ellipse cx="890" cy="575" rx="210" ry="56" stroke="#c0272d"/></g></g>`

const line = (y: number, w: number) => `<rect x="250" y="${y}" width="${w}" height="9" fill="#777"/>`
const paragraph = (y: number) => [610, 640, 590, 625, 380].map((w, i) => line(y + i * 24, w)).join('')
const document = `<rect width="960" height="1280" fill="#6b4a32"/><g filter="url(#rough)" stroke="#5a3c27" stroke-width="3">${[90, 260, 430, 700, 900, 1130].map((y) => `<path d="M0 ${y} Q480 ${y + 30} 960 ${y - 10}" fill="none"/>`).join('')}</g>
<g transform="rotate(2.1 480 640) translate(-90 10)"><rect x="196" y="106" width="780" height="1090" fill="#0005"/><rect x="180" y="90" width="780" height="1090" fill="#f6f3ea"/>
<text x="250" y="190" font-family="DejaVu Serif" font-weight="bold" font-size="38" fill="#222">Harbour Lane Brokers</text><text x="250" y="240" font-family="DejaVu Serif" font-size="26" fill="#444">Order instruction, signed copy</text><path d="M250 262H890" stroke="#222" stroke-width="2"/>
${paragraph(310)}<g font-family="DejaVu Sans Mono" font-size="24" fill="#222"><text x="250" y="500">Instrument   NORTHFIELD ENERGY</text><text x="250" y="540">Side         BUY</text><text x="250" y="580">Quantity     2,000</text><text x="250" y="620">Limit        GBP 4.15</text></g>${paragraph(680)}${paragraph(840)}
<path d="M260 1060c40-70 60-40 40 0s30 20 60-20 30 30 60 0 40-40 60 0 60 10 110-30" fill="none" stroke="#1d2f8e" stroke-width="5"/><path d="M250 1085H600" stroke="#444" stroke-width="2"/><text x="250" y="1115" font-family="DejaVu Serif" font-size="20" fill="#444">H. Marsh</text></g>`

const windows = (x: number, y: number, columns: number, rows: number) =>
  Array.from(
    { length: columns * rows },
    (_, i) =>
      `<rect x="${x + (i % columns) * 62}" y="${y + Math.floor(i / columns) * 88}" width="42" height="58" fill="#3b4d5c"/>`,
  ).join('')
const site = `<linearGradient id="s" x2="0" y2="1"><stop stop-color="#7fb0d8"/><stop offset="1" stop-color="#e9eef0"/></linearGradient><rect width="1280" height="960" fill="url(#s)"/>
<g fill="#fff" opacity=".8"><ellipse cx="260" cy="150" rx="150" ry="34"/><ellipse cx="350" cy="175" rx="120" ry="28"/><ellipse cx="980" cy="110" rx="170" ry="30"/></g>
<rect x="90" y="330" width="400" height="470" fill="#b7a99a"/>${windows(130, 370, 6, 4)}<g fill="#8f8b86"><rect x="560" y="420" width="560" height="20"/><rect x="560" y="560" width="560" height="20"/><rect x="560" y="700" width="560" height="20"/></g>
<g fill="#a39d96">${[570, 700, 830, 960, 1090].map((x) => `<rect x="${x}" y="430" width="22" height="390"/>`).join('')}</g>
<g stroke="#e0a21b" stroke-width="9" fill="none"><path d="M640 820V120M676 820V120M640 120h36M430 170H1150M640 120 430 170M676 120 1150 170"/>${Array.from({ length: 17 }, (_, i) => `<path d="M640 ${140 + i * 40}l36 40"/>`).join('')}</g><path d="M1040 170V350" stroke="#333" stroke-width="4"/><rect x="1000" y="350" width="80" height="34" fill="#7a4b2a"/>
<path d="M0 800H1280V960H0Z" fill="#a98d66"/><path d="M0 830Q300 790 640 835T1280 815V960H0Z" fill="#937750"/><g fill="#d7532a">${[150, 330, 1010, 1180].map((x) => `<path d="M${x} 900l22-70 22 70z"/><path d="M${x + 13} 860h18" stroke="#fff" stroke-width="9"/>`).join('')}</g>`

const meter = `<rect width="960" height="1280" fill="#c9cbc8"/><g filter="url(#rough)" stroke="#a6a8a4" stroke-width="4">${[160, 320, 480, 640, 800, 960, 1120].map((y) => `<path d="M0 ${y}H960"/>`).join('')}</g><rect x="230" y="250" width="520" height="720" rx="40" fill="#f1f1ee" stroke="#55595c" stroke-width="14"/><rect x="300" y="340" width="380" height="120" rx="12" fill="#1c211d"/>
<text x="324" y="424" font-family="DejaVu Sans Mono" font-size="68" fill="#8fe38f" letter-spacing="6">048217</text><text x="300" y="510" font-family="DejaVu Sans" font-size="28" fill="#333">kWh   No. 77-4410-B</text><circle cx="490" cy="690" r="110" fill="#fff" stroke="#333" stroke-width="8"/><path d="M490 690L550 615" stroke="#b22" stroke-width="9"/>${Array.from({ length: 10 }, (_, i) => `<path d="M490 592v22" transform="rotate(${i * 36} 490 690)" stroke="#333" stroke-width="6"/>`).join('')}
<g transform="rotate(-4 480 1100)"><rect x="250" y="1040" width="480" height="120" fill="#f5d95b"/><text x="280" y="1115" ${hand} font-size="44" fill="#222">read 12 Nov, ok</text></g>`

const receipt = `<rect width="640" height="800" fill="#39424c"/><g transform="rotate(-3 320 400)"><rect x="140" y="60" width="360" height="680" fill="#fbfbf7"/><g font-family="DejaVu Sans Mono" font-size="21" fill="#222"><text x="200" y="120" font-weight="bold">BANCO IPE</text><text x="165" y="170">Comprovante</text><text x="165" y="230">Valor  R$ 12.000,00</text><text x="165" y="270">Conta  ****-851</text><text x="165" y="310">Data   12/11 14:32</text><text x="165" y="380">Autenticacao</text><text x="165" y="415">7F3A 99C1 04BD</text></g>${Array.from({ length: 40 }, (_, i) => `<rect x="${165 + i * 7.5}" y="520" width="${1 + ((i * 7) % 5)}" height="120" fill="#222"/>`).join('')}</g>`

export const pictures: Picture[] = [
  {
    file: 'photos/whiteboard.jpg',
    kind: 'photo',
    title: 'Whiteboard after a hedging meeting',
    width: 1280,
    height: 960,
    svg: whiteboard,
  },
  {
    file: 'photos/signed-order.jpg',
    kind: 'photo',
    title: 'Signed order instruction',
    width: 960,
    height: 1280,
    svg: document,
  },
  {
    file: 'photos/construction-site.jpg',
    kind: 'photo',
    title: 'Construction site, north side',
    width: 1280,
    height: 960,
    svg: site,
  },
  {
    file: 'photos/meter-reading.jpg',
    kind: 'photo',
    title: 'Electricity meter reading',
    width: 960,
    height: 1280,
    svg: meter,
  },
  {
    file: 'mms/receipt.jpg',
    kind: 'mms',
    title: 'Comprovante de transferência',
    width: 640,
    height: 800,
    svg: receipt,
  },
]

export function drawPicture(picture: Picture, file: string, scratch: string): void {
  const { width, height, svg } = picture
  const page = path.join(scratch, 'picture.svg')
  const shot = path.join(scratch, 'picture.png')
  const frame = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  writeFileSync(page, `<svg ${frame}><defs>${rough}</defs>${svg}</svg>`)
  const args = [
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    `--window-size=${width},${height}`,
    `--screenshot=${shot}`,
    `file://${page}`,
  ]
  execFileSync('chromium', args, { stdio: 'ignore', timeout: 60_000 })
  const camera = 'vignette=PI/6,noise=alls=6:allf=t:all_seed=3,gblur=sigma=0.6'
  ffmpeg([
    '-i',
    shot,
    '-vf',
    camera,
    '-frames:v',
    '1',
    '-q:v',
    '6',
    '-map_metadata',
    '-1',
    '-fflags',
    '+bitexact',
    file,
  ])
}
