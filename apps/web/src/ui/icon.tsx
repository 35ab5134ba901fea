/** Line icons on a 24 × 24 grid, drawn for this product. Each entry has the data of one or more paths. */
const SHAPES = {
  'alert-circle': 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v5M12 16.4v.1',
  archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
  'arrow-down': 'M12 5v14M6 13l6 6 6-6',
  'arrow-down-left': 'M18 6L6 18M15 18H6V9',
  'arrows-out': 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  'arrow-left': 'M19 12H5M11 6l-6 6 6 6',
  'arrow-right': 'M5 12h14M13 6l6 6-6 6',
  'arrow-up': 'M12 19V5M6 11l6-6 6 6',
  'arrow-up-right': 'M6 18L18 6M9 6h9v9',
  bell: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 2h-15zM10 21h4',
  bookmark: 'M6.5 4h11v16.5l-5.5-4-5.5 4z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  'check-circle': 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M8.2 12.4l2.6 2.6 5-5.4',
  'chevron-down': 'M6 9.5l6 6 6-6',
  'chevron-left': 'M14.5 6l-6 6 6 6',
  'chevron-right': 'M9.5 6l6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7.5V12l3.2 2',
  columns: 'M4 5h16v14H4zM9.4 5v14M14.7 5v14',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  dashboard: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  device:
    'M7.5 3h9A1.5 1.5 0 0 1 18 4.5v15a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 6 19.5v-15A1.5 1.5 0 0 1 7.5 3M11 18h2',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6',
  filter: 'M4 6h16M7 12h10M10 18h4',
  flag: 'M6 21V4M6 5h12l-2.5 4 2.5 4H6',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3.5 9.5h17M3.5 14.5h17M12 3c-5.2 5.6-5.2 12.4 0 18M12 3c5.2 5.6 5.2 12.4 0 18',
  group:
    'M9 5.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4M3 19.5c0-3.4 2.6-5.2 6-5.2s6 1.8 6 5.2M16 6a3 3 0 0 1 0 5.7M17.5 14.5c2.2.5 3.5 2.2 3.5 5',
  history: 'M4.5 9a8 8 0 1 1-.5 3.5M4.5 4v5h5M12 8v4.5l3 2',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 8.5v.1',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5.5M12 7.6v.1',
  key: 'M8 11.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12.5L19.5 4M16 7.5l3 3',
  keyboard: 'M3 6.5h18v11H3zM7 10v.1M11 10v.1M15 10v.1M17.5 10v.1M7 14h10',
  lifebuoy:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M5.7 5.7l3.5 3.5M14.8 14.8l3.5 3.5M18.3 5.7l-3.5 3.5M9.2 14.8l-3.5 3.5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  lock: 'M5.5 11h13v9.5h-13zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11',
  menu: 'M4 7h16M4 12h16M4 17h16',
  message: 'M4 5h16v11.5H11L6.5 20v-3.5H4zM8 9.5h8M8 12.5h5',
  messages: 'M3 4h13v9H9l-3.5 3v-3H3zM19 9h2v9h-2v2.5L16 18h-5v-2',
  microphone:
    'M12 3.5a2.8 2.8 0 0 1 2.8 2.8v5a2.8 2.8 0 0 1-5.6 0v-5A2.8 2.8 0 0 1 12 3.5M6 11.5a6 6 0 0 0 12 0M12 17.5V21',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10',
  more: 'M6 12v.1M12 12v.1M18 12v.1',
  overview: 'M4 20h16M6.5 16.5v-5M12 16.5v-10M17.5 16.5v-7',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  pencil: 'M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5zM13.5 7l3.5 3.5',
  phone:
    'M6 3.5h3l1.6 4.3-2.1 1.7a12 12 0 0 0 6 6l1.7-2.1 4.3 1.6v3c0 1.1-.9 2-2 2A14.5 14.5 0 0 1 4 5.5c0-1.1.9-2 2-2',
  pin: 'M12 21s-6.5-6.2-6.5-11a6.5 6.5 0 0 1 13 0c0 4.8-6.5 11-6.5 11M12 8a2.2 2.2 0 1 0 0 4.4A2.2 2.2 0 0 0 12 8',
  play: 'M7.5 5v14l11-7z',
  minus: 'M5 12h14',
  plus: 'M12 5v14M5 12h14',
  print: 'M7 9V4h10v5M7 17H4.5V9h15v8H17M7 14h10v6H7z',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14v2.5M17 17v3.5M20.5 14v3M20.5 20.5v.1M14 20.5v.1',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.2M20 4v5.2h-5.2',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.3 15.3L20.5 20.5',
  shield: 'M12 3l7.5 2.8v5.4c0 4.6-3 8-7.5 9.8-4.5-1.8-7.5-5.2-7.5-9.8V5.8z',
  'shield-alert': 'M12 3l7.5 2.8v5.4c0 4.6-3 8-7.5 9.8-4.5-1.8-7.5-5.2-7.5-9.8V5.8zM12 8v4.5M12 15.7v.1',
  'shield-check': 'M12 3l7.5 2.8v5.4c0 4.6-3 8-7.5 9.8-4.5-1.8-7.5-5.2-7.5-9.8V5.8zM8.7 12l2.4 2.4 4.3-4.7',
  'sign-out': 'M14 4.5H5.5v15H14M10.5 12H20M16.5 8.5L20 12l-3.5 3.5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  tag: 'M4 4h8l8.5 8.5-8 8L4 12zM8.2 8.2v.1',
  trash: 'M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 13h9l1-13M10.2 11v5.5M13.8 11v5.5',
  upload: 'M12 16V5M7 9.5l5-5 5 5M5 20h14',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c0-4 3.2-6 7.5-6s7.5 2 7.5 6',
  video: 'M3.5 6.5h12v11h-12zM15.5 11l5-3v8l-5-3',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.5 4.5 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.2v.1',
  wave: 'M3 12h1.5M7 9v6M10.5 5v14M14 8v8M17.5 10v4M20.5 11.5v1',
  wrench:
    'M14.5 6.5a4 4 0 0 1 5-2.7l-2.6 2.6.7 2 2 .7 2.6-2.6a4 4 0 0 1-5.5 4.7L8.5 19.4a2.1 2.1 0 0 1-3-3l8.2-8.2z',
  x: 'M6 6l12 12M18 6L6 18',
} as const
export type IconName = keyof typeof SHAPES

/** A decorative icon in the text colour. Add a text or accessible label for its meaning. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={SHAPES[name]} />
    </svg>
  )
}
