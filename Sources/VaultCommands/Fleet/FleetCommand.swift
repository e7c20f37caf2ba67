import VaultModel

/// `vaultctl fleet`: one vault on many machines.
///
/// `vault-fleet` runs it.
package enum FleetCommand {
  static let command = Command(
    id: .fleet,
    operands: Command.Operands(
      synopsis: "init|clone|sync|status|grant|revoke|schema …", count: 1...3,
      words: ["init", "clone", "sync", "status", "grant", "revoke", "schema"]),
    summary: "share a vault with other machines through a PostgreSQL server",
    details: [
      "The server keeps the vault's sealed rows, which it cannot open, and decides which machine"
        + " writes next. Every machine has a whole replica: it finds without the server, and"
        + " writes with it.",
      "fleet init ADDRESS makes the tables on the server if they are missing, and this vault the"
        + " first replica. ADDRESS is a connection string of PostgreSQL, such as"
        + " 'host=db.example.com dbname=fleet user=ann'. It holds no password: that is read from"
        + " the file that PGPASSFILE names. Unless ADDRESS says otherwise, sslmode is verify-full.",
      "fleet clone ADDRESS [ID] makes a replica where there is no vault. The vault's own key opens"
        + " it, as options, variables or a prompt give it. ID is needed if the server has several"
        + " vaults.",
      "fleet sync gets what other machines wrote. Every write does so, too. fleet status compares"
        + " the replica with the server.",
      "fleet grant ROLE lets a role of the server use this vault, and fleet revoke ROLE ends that."
        + " What was read stays read: rekey the vault, and change its secrets. fleet schema shows"
        + " the SQL of the tables.",
    ],
    groups: [
      OptionGroup(
        heading: "Staying (fleet sync)",
        options: [
          Option(.watch, nil, .none, "stay, and get each change when it is written")
        ]), .common,
    ], run: OtherProgram.fleet.run)
}
