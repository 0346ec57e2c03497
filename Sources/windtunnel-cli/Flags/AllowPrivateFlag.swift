internal import WindTunnelCommandLine
internal import WindTunnelServer

/// `--allow-private`: servers of this machine and of its private networks that a proxy connects other
/// devices to.
enum AllowPrivateFlag {
  static let name = "--allow-private"

  static let flag = Flag(
    name,
    "ADDR",
    "lan: connect devices to this one here, too: 10.1.2.3 or 10.1.2.3:80."
  )

  static func addresses(_ arguments: Arguments) throws(Refusal) -> [AllowedAddress] {
    try arguments.all(name).map { text throws(Refusal) in
      guard let address = AllowedAddress(text) else {
        throw .value(
          name,
          text,
          shouldBe:
            "an address such as 10.1.2.3 or 10.1.2.3:8080, with a port where it is 127.0.0.1"
        )
      }
      return address
    }
  }
}
