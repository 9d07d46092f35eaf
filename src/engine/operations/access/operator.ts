import { get, list, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { ActingOperatorBody, OperatorBody, OperatorTokenBody } from "../../representations/access/operator.ts"
import {
  CreateOperator,
  ListOperators,
  OperatorKind,
  Operators,
  UpdateOperator
} from "../../resources/access/operator.ts"
import type { Registration } from "../registration.ts"

const one = { id: Id("opr") }

const operations = {
  operator: section(
    {
      id: "operatorUsers",
      title: "Operator: operators",
      description: "The people who use the operator API. Each has a role and a token."
    },
    {
      me: get(
        "getActingOperator",
        "/operator/v1/me",
        {
          summary: "Get the operator of the token",
          description:
            "The configured token is an admin without an id. An embedding application acts under the name that it gives.",
          output: ActingOperatorBody
        },
        ({ call }) => Operators.use((s) => s.me(call))
      ),
      operators: {
        create: post(
          "createOperator",
          "/operator/v1/operators",
          {
            action: "operator",
            role: "admin",
            summary: "Create an operator",
            description:
              "Only this response contains the token. Roles, low to high: viewer (reads), support (reviews and freezes), treasury (money: deposits, exceptions, pauses), admin (merchants, their keys, operators).",
            input: CreateOperator,
            output: OperatorTokenBody,
            examples: { support: { name: "Ada Obi", email: "ada@example.com", role: "support" } },
            refusals: ["duplicate_resource"]
          },
          ({ call, input }) => Operators.use((s) => s.create(call, input))
        ),
        list: list(
          "listOperators",
          "/operator/v1/operators",
          { summary: "List operators", input: ListOperators, output: OperatorBody },
          ({ call, input }) => Operators.use((s) => s.list(call, input))
        ),
        get: get(
          "getOperator",
          "/operator/v1/operators/:id",
          { summary: "Get an operator", params: one, output: OperatorBody },
          ({ call, params }) => Operators.use((s) => s.get(call, params.id))
        ),
        update: patch(
          "updateOperator",
          "/operator/v1/operators/:id",
          {
            action: "operator",
            readCurrent: ({ call, params }) => Operators.use((s) => s.get(call, params.id)),
            role: "admin",
            summary: "Change an operator's name, email or role",
            params: one,
            input: UpdateOperator,
            output: OperatorBody,
            examples: { promotion: { role: "treasury", note: "covers for the weekend" } },
            refusals: ["invalid_status", "duplicate_resource"]
          },
          ({ call, params, input }) => Operators.use((s) => s.update(call, params.id, input))
        ),
        rotateToken: post(
          "rotateOperatorToken",
          "/operator/v1/operators/:id/rotate-token",
          {
            action: "operator",
            role: "admin",
            summary: "Replace an operator's token",
            description: "Only this response contains the new token. The old one is no longer accepted.",
            params: one,
            input: Noted,
            output: OperatorTokenBody,
            refusals: ["invalid_status"]
          },
          ({ call, params }) => Operators.use((s) => s.rotate(call, params.id))
        ),
        revoke: post(
          "revokeOperator",
          "/operator/v1/operators/:id/revoke",
          {
            action: "operator",
            readCurrent: ({ call, params }) => Operators.use((s) => s.get(call, params.id)),
            role: "admin",
            summary: "Revoke an operator",
            description:
              "The token is no longer accepted, and the operator's console sessions end: on this node at once, on every node within five seconds.",
            params: one,
            input: Noted,
            output: OperatorBody,
            refusals: ["invalid_status"]
          },
          ({ call, params }) => Operators.use((s) => s.revoke(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const operator = { kind: OperatorKind, layer: Operators.layer, operations } satisfies Registration
