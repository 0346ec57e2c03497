extension LinkPreset {
  /// WebPageTest, `www/settings/connectivity.ini.sample`: kbit/s and half of its round trips.
  static let webPageTest: [LinkPreset] = [
    .init(
      "wpt/cable",
      "Cable",
      down: (5000, 14, 0),
      up: (1000, 14, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/dsl",
      "DSL",
      down: (1500, 25, 0),
      up: (384, 25, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/3g-slow",
      "3GSlow",
      down: (400, 200, 0),
      up: (400, 200, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/3g-em",
      "3G_EM",
      down: (400, 200, 0),
      up: (400, 200, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/3g",
      "3G",
      down: (1600, 150, 0),
      up: (768, 150, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/3g-fast",
      "3GFast",
      down: (1600, 75, 0),
      up: (768, 75, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/4g",
      "4G",
      down: (9000, 85, 0),
      up: (9000, 85, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/lte",
      "LTE",
      down: (12_000, 35, 0),
      up: (12_000, 35, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/edge",
      "Edge",
      down: (240, 420, 0),
      up: (200, 420, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/2g",
      "2G",
      down: (280, 400, 0),
      up: (256, 400, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/dial",
      "Dial",
      down: (49, 60, 0),
      up: (30, 60, 0),
      .source,
      webPageTestSource
    ),
    .init(
      "wpt/fios",
      "FIOS",
      down: (20_000, 2, 0),
      up: (5000, 2, 0),
      .source,
      webPageTestSource
    ),
  ]

  private static let webPageTestSource =
    "WebPageTest www/settings/connectivity.ini.sample; its delay is a round trip, half of which goes each way"
}
