internal import WindTunnelCommandLine

/// The content codings that a recorded origin is asked for.
enum EncodingsFlag {
  static let name = "--keep-encodings"
  static let flag = Flag(name, nil, "Ask for br and the like where the client does; not recorded.")
  static let recordFlag = Flag(name, nil, "record: ask for br and the like, too; not recorded.")
}
