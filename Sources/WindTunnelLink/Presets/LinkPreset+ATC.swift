extension LinkPreset {
  /// Augmented Traffic Control, `utils/profiles/*.json`: kbit/s, one-way milliseconds, per cent.
  static let augmentedTrafficControl: [LinkPreset] = [
    .init(
      "atc/2g-developing-rural",
      "2G Developing Rural",
      down: (20, 650, 2),
      up: (18, 650, 2),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/2g-developing-urban",
      "2G Developing Urban",
      down: (35, 650, 0),
      up: (32, 650, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/edge-lossy",
      "Edge Lossy",
      down: (240, 400, 1),
      up: (200, 440, 1),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/edge-average",
      "Edge Average",
      down: (240, 400, 0),
      up: (200, 440, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/edge-good",
      "Edge Good",
      down: (250, 350, 0),
      up: (200, 370, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/3g-average",
      "3G Average",
      down: (780, 100, 0),
      up: (330, 100, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/3g-good",
      "3G Good",
      down: (850, 90, 0),
      up: (420, 100, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/dsl",
      "DSL",
      down: (2000, 5, 0),
      up: (256, 5, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/cable",
      "Cable",
      down: (6000, 2, 0),
      up: (1000, 2, 0),
      .source,
      augmentedTrafficControlSource
    ),
    .init(
      "atc/no-connectivity",
      "No Connectivity",
      down: (1, 0, 0),
      up: (1, 0, 0),
      note: "1 kbit/s, and nothing is lost",
      .source,
      augmentedTrafficControlSource
    ),
  ]

  private static let augmentedTrafficControlSource =
    "facebookarchive/augmented-traffic-control utils/profiles"
}
