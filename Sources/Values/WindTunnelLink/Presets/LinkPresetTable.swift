extension LinkPreset {
  /// All presets, by publisher.
  public static let all =
    published(networkLinkConditioner, in: networkLinkConditionerSource)
    + published(augmentedTrafficControl, in: augmentedTrafficControlSource)
    + published(webPageTest, in: webPageTestSource) + published(devTools, in: devToolsSource)

  private static func published(_ presets: [LinkPreset], in source: String) -> [LinkPreset] {
    presets.map { $0.with(\.source, source) }
  }

  /// The preset with conditions that are generally known.
  private var known: LinkPreset { with(\.evidence, .known) }

  private func noting(_ note: String) -> LinkPreset { with(\.note, note) }

  private func with<Part>(_ part: WritableKeyPath<Self, Part>, _ value: Part) -> LinkPreset {
    var preset = self
    preset[keyPath: part] = value
    return preset
  }

  /// Apple's Network Link Conditioner: kbit/s, one-way milliseconds, per cent.
  private static let networkLinkConditioner: [LinkPreset] = [
    .init("nlc/100-loss", "100% Loss", down: (nil, 0, 100), up: (nil, 0, 100)).known,
    .init("nlc/3g", "3G", down: (780, 100, 0), up: (330, 100, 0)),
    .init("nlc/3g-good", "3G, good connectivity", down: (850, 100, 0), up: (420, 100, 0))
      .noting("of the old set; ATC has 90 ms down"),
    .init("nlc/3g-lossy", "3G, lossy network", down: (780, 100, 1), up: (330, 100, 0))
      .noting("of the old set"),
    .init("nlc/edge", "Edge", down: (240, 400, 0), up: (200, 440, 0)),
    .init("nlc/edge-good", "Edge, good connectivity", down: (250, 350, 0), up: (200, 370, 0))
      .noting("of the old set"),
    .init("nlc/edge-lossy", "Edge, lossy network", down: (240, 400, 1), up: (200, 440, 0))
      .noting("of the old set; ATC loses 1 % up, too"),
    .init("nlc/dsl", "DSL", down: (2000, 5, 0), up: (256, 5, 0)),
    .init("nlc/cable", "Cable", down: (6000, 2, 0), up: (1000, 2, 0)),
    .init("nlc/lte", "LTE", down: (50_000, 50, 0), up: (10_000, 65, 0)).known,
    .init("nlc/wi-fi", "Wi-Fi", down: (40_000, 1, 0), up: (33_000, 1, 0)).known,
    .init("nlc/wi-fi-802.11ac", "Wi-Fi 802.11ac", down: (250_000, 1, 0), up: (100_000, 1, 0)).known,
    .init("nlc/high-latency-dns", "High Latency DNS", down: (nil, 0, 0), up: (nil, 0, 0), dns: 3000)
      .known,
    .init("nlc/very-bad-network", "Very Bad Network", down: (1000, 500, 10), up: (1000, 500, 10))
      .known.noting("copies on the web disagree: 5 % and 400 ms, 20 % and 500 ms"),
  ]

  private static let networkLinkConditionerSource =
    "Apple Network Link Conditioner; the numbers of 3G, Edge, DSL and Cable are also in "
    + "facebookarchive/augmented-traffic-control"

  /// Augmented Traffic Control, `utils/profiles/*.json`: kbit/s, one-way milliseconds, per cent.
  private static let augmentedTrafficControl: [LinkPreset] = [
    .init("atc/2g-developing-rural", "2G Developing Rural", down: (20, 650, 2), up: (18, 650, 2)),
    .init("atc/2g-developing-urban", "2G Developing Urban", down: (35, 650, 0), up: (32, 650, 0)),
    .init("atc/edge-lossy", "Edge Lossy", down: (240, 400, 1), up: (200, 440, 1)),
    .init("atc/edge-average", "Edge Average", down: (240, 400, 0), up: (200, 440, 0)),
    .init("atc/edge-good", "Edge Good", down: (250, 350, 0), up: (200, 370, 0)),
    .init("atc/3g-average", "3G Average", down: (780, 100, 0), up: (330, 100, 0)),
    .init("atc/3g-good", "3G Good", down: (850, 90, 0), up: (420, 100, 0)),
    .init("atc/dsl", "DSL", down: (2000, 5, 0), up: (256, 5, 0)),
    .init("atc/cable", "Cable", down: (6000, 2, 0), up: (1000, 2, 0)),
    .init("atc/no-connectivity", "No Connectivity", down: (1, 0, 0), up: (1, 0, 0))
      .noting("1 kbit/s without loss"),
  ]

  private static let augmentedTrafficControlSource =
    "facebookarchive/augmented-traffic-control utils/profiles"

  /// WebPageTest, `www/settings/connectivity.ini.sample`: kbit/s and half of its round trips.
  private static let webPageTest: [LinkPreset] = [
    .init("wpt/cable", "Cable", down: (5000, 14, 0), up: (1000, 14, 0)),
    .init("wpt/dsl", "DSL", down: (1500, 25, 0), up: (384, 25, 0)),
    .init("wpt/3g-slow", "3GSlow", down: (400, 200, 0), up: (400, 200, 0)),
    .init("wpt/3g-em", "3G_EM", down: (400, 200, 0), up: (400, 200, 0)),
    .init("wpt/3g", "3G", down: (1600, 150, 0), up: (768, 150, 0)),
    .init("wpt/3g-fast", "3GFast", down: (1600, 75, 0), up: (768, 75, 0)),
    .init("wpt/4g", "4G", down: (9000, 85, 0), up: (9000, 85, 0)),
    .init("wpt/lte", "LTE", down: (12_000, 35, 0), up: (12_000, 35, 0)),
    .init("wpt/edge", "Edge", down: (240, 420, 0), up: (200, 420, 0)),
    .init("wpt/2g", "2G", down: (280, 400, 0), up: (256, 400, 0)),
    .init("wpt/dial", "Dial", down: (49, 60, 0), up: (30, 60, 0)),
    .init("wpt/fios", "FIOS", down: (20_000, 2, 0), up: (5000, 2, 0)),
  ]

  private static let webPageTestSource =
    "WebPageTest www/settings/connectivity.ini.sample; its delay is a round trip, half of it in "
    + "each direction"

  /// Chrome DevTools, `NetworkManager.ts`: its targets in kbit/s and half of their round trips.
  ///
  /// A browser approximates the targets per request with longer delays and with rates times 0.8 or
  /// 0.9. These are not used here, because connecting, TLS and slow start are simulated.
  private static let devTools: [LinkPreset] = [
    .init("devtools/3g", "3G", down: (500, 200, 0), up: (500, 200, 0))
      .noting("formerly Slow 3G; a browser applies 400 kbit/s and 2000 ms per request"),
    .init("devtools/slow-4g", "Slow 4G", down: (1600, 75, 0), up: (750, 75, 0))
      .noting("formerly Fast 3G; a browser applies 1440 and 675 kbit/s and 562.5 ms per request"),
    .init("devtools/fast-4g", "Fast 4G", down: (9000, 30, 0), up: (1500, 30, 0))
      .noting("a browser applies 8100 and 1350 kbit/s and 165 ms per request"),
    .init("devtools/offline", "Offline", down: (nil, 0, 100), up: (nil, 0, 100))
      .noting("nothing gets through; a browser fails requests at once"),
  ]

  private static let devToolsSource =
    "Chrome DevTools NetworkManager.ts, its target values without the factors for whole requests; "
    + "half of a round trip in each direction"
}
