/// A commit of a fleet's vault: which machine made it, and when.
package struct FleetCommit: Equatable, Sendable {
  package let generation: UInt64
  /// The time that its machine wrote; never before that of the commit before.
  package let time: Timestamp
  /// The name of the machine that signed it; nil if nobody did.
  package let machine: String?
  /// Eight groups of five digits of the machine's public keys and name; nil if nobody signed.
  package let fingerprint: String?
  /// Whether the machine has a slot now.
  package let isMember: Bool
  /// Whether its signature and its link to the commit before are right.
  package let isValid: Bool

  package init(
    generation: UInt64, time: Timestamp, machine: String?, fingerprint: String?, isMember: Bool,
    isValid: Bool
  ) {
    (self.generation, self.time) = (generation, time)
    (self.machine, self.fingerprint) = (machine, fingerprint)
    (self.isMember, self.isValid) = (isMember, isValid)
  }
}
