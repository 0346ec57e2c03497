extension LinkPreset {
  /// Chrome DevTools, `NetworkManager.ts`: its targets in kbit/s and half of their round trips. What a
  /// browser
  /// applies to a whole request to come near them (longer delays, rates times 0.8 or 0.9) is not: here
  /// connecting, TLS and slow start cost what they cost.
  static let devTools: [LinkPreset] = [
    .init(
      "devtools/3g",
      "3G",
      down: (500, 200, 0),
      up: (500, 200, 0),
      note: "once Slow 3G; a browser applies 400 kbit/s and 2000 ms a request",
      .source,
      devToolsSource
    ),
    .init(
      "devtools/slow-4g",
      "Slow 4G",
      down: (1600, 75, 0),
      up: (750, 75, 0),
      note: "once Fast 3G; a browser applies 1440 and 675 kbit/s and 562.5 ms a request",
      .source,
      devToolsSource
    ),
    .init(
      "devtools/fast-4g",
      "Fast 4G",
      down: (9000, 30, 0),
      up: (1500, 30, 0),
      note: "a browser applies 8100 and 1350 kbit/s and 165 ms a request",
      .source,
      devToolsSource
    ),
    .init(
      "devtools/offline",
      "Offline",
      down: (nil, 0, 100),
      up: (nil, 0, 100),
      note: "nothing gets through; a browser fails requests at once",
      .source,
      devToolsSource
    ),
  ]

  private static let devToolsSource =
    "Chrome DevTools NetworkManager.ts, its targets and not the factors that it applies to whole requests; half of a round trip goes each way"
}
