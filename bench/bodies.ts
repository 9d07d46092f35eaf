/** An event as large as a transfer's, for the floor of deliveries. */
export const deliveryBody = (serial: string): string =>
  JSON.stringify({
    event_id: `evt_${serial}`,
    event_type: "transfer.success",
    event_category: "transfer",
    event_developer_id: "int_01j9z3k4m5n6p7q8r9s0t1v2w3",
    api_version: "v1",
    event_created_at: "2026-01-01T00:00:00.000Z",
    event_object_id: `tfr_${serial}`,
    event_object_status: "success",
    event_object_changes: { status: ["processing", "success"] },
    event_sequence: 2,
    event_object: { id: `tfr_${serial}`, status: "success", padding: "x".repeat(1000) }
  })
