extension HardSecret {
  /// Every secret of these lists, kind by kind.
  public static let all: [HardSecret] =
    of("name with a tail", languages + worldwide + tails)
    + of("header field", fieldsOfVendors)
    + of("published shape", shapes + otherShapes)
    + of("part of a credential", parts)
    + of("coding", codings)
    + of("other place", others + wire)
}
