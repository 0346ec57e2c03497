extension LinkPreset {
  /// Apple's Network Link Conditioner: kbit/s, one-way milliseconds, per cent.
  static let networkLinkConditioner: [LinkPreset] = [
    .init(
      "nlc/100-loss",
      "100% Loss",
      down: (nil, 0, 100),
      up: (nil, 0, 100),
      .known,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/3g",
      "3G",
      down: (780, 100, 0),
      up: (330, 100, 0),
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/3g-good",
      "3G, good connectivity",
      down: (850, 100, 0),
      up: (420, 100, 0),
      note: "of the old set; ATC has 90 ms down",
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/3g-lossy",
      "3G, lossy network",
      down: (780, 100, 1),
      up: (330, 100, 0),
      note: "of the old set",
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/edge",
      "Edge",
      down: (240, 400, 0),
      up: (200, 440, 0),
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/edge-good",
      "Edge, good connectivity",
      down: (250, 350, 0),
      up: (200, 370, 0),
      note: "of the old set",
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/edge-lossy",
      "Edge, lossy network",
      down: (240, 400, 1),
      up: (200, 440, 0),
      note: "of the old set; ATC loses 1 % up, too",
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/dsl",
      "DSL",
      down: (2000, 5, 0),
      up: (256, 5, 0),
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/cable",
      "Cable",
      down: (6000, 2, 0),
      up: (1000, 2, 0),
      .source,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/lte",
      "LTE",
      down: (50_000, 50, 0),
      up: (10_000, 65, 0),
      .known,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/wi-fi",
      "Wi-Fi",
      down: (40_000, 1, 0),
      up: (33_000, 1, 0),
      .known,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/wi-fi-802.11ac",
      "Wi-Fi 802.11ac",
      down: (250_000, 1, 0),
      up: (100_000, 1, 0),
      .known,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/high-latency-dns",
      "High Latency DNS",
      down: (nil, 0, 0),
      up: (nil, 0, 0),
      dns: 3000,
      .known,
      networkLinkConditionerSource
    ),
    .init(
      "nlc/very-bad-network",
      "Very Bad Network",
      down: (1000, 500, 10),
      up: (1000, 500, 10),
      note: "copies on the web disagree: 5 % and 400 ms, 20 % and 500 ms",
      .known,
      networkLinkConditionerSource
    ),
  ]

  private static let networkLinkConditionerSource =
    "Apple Network Link Conditioner; the numbers of 3G, Edge, DSL and Cable stand in facebookarchive/augmented-traffic-control, too"
}
