/** Name of the list over all clients, as caches and the browser's memory know it. */
export const CLIENT_ALERTS = 'client-alerts'
