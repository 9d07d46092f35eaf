/** The sandbox of the test environment: the simulated provider and the clock, under control. */
import { rich, t } from "../../frame/language.ts"
import { useLoad } from "../../frame/load.ts"
import { allowMerchant, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { OutcomesCard, VerdictsCard } from "./outcomes.tsx"
import { PayinCard } from "./payin.tsx"

const units = { minutes: 60, hours: 3600, days: 86_400, seconds: 1 } as const

const ClockCard = () => {
  const clock = useLoad<{ readonly now: string; readonly latest: string }>("/sandbox/clock", { every: 5 })
  return (
    <Card
      title={t("Clock")}
      actions={
        <Action<{ readonly now: string; readonly steps: number }>
          label={t("Advance")}
          title={t("Move the clock forward")}
          does={t(
            "The clock of the whole service moves, for all merchants, and what falls due on the way runs in order. It never moves back."
          )}
          allowed={allowMerchant("developer", "admin")}
          tone="main"
          fields={
            <>
              <Field name="seconds" label={t("By")} required inputMode="decimal" value="1" />
              <Select name="unit" label={t("Unit")} choices={["minutes", "hours", "days", "seconds"]} value="hours" />
            </>
          }
          request={({ seconds, unit = "seconds" }) => ({
            path: "/sandbox/clock/advance",
            // What is no number goes to the server as it is, which says what it takes.
            body: {
              seconds: Number.isNaN(Number(seconds)) ? seconds : Number(seconds) * units[unit as keyof typeof units]
            }
          })}
          done={({ data: { now, steps } }) => (
            <p>
              {rich("The clock shows {time}. {count} job ran.|The clock shows {time}. {count} jobs ran.", {
                time: <Time at={now} exact />,
                count: steps
              })}
            </p>
          )}
        />
      }
    >
      <Show of={clock} rows={1}>
        {({ now }) => (
          <p class="clock">
            <Time at={now} exact />
          </p>
        )}
      </Show>
      <p class="dim">{t("Deadlines, retries and expiries go by this clock.")}</p>
    </Card>
  )
}

const submissionText = {
  accept: t("Accept: taken, and the outcome follows"),
  hold: t("Hold: not submitted until this changes"),
  unavailable: t("Unavailable: refused for now, and tried again"),
  timeout: t("Time out: no answer, so that nobody knows")
} as const
const refundText = {
  settle: t("Settle: they succeed"),
  accept: t("Accept: they wait for an outcome from here")
} as const

const ProviderScriptCard = () => {
  const script = useLoad<{
    readonly submissions: keyof typeof submissionText
    readonly refunds: keyof typeof refundText
  }>("/sandbox/provider")
  const current = script.answer.value?.data
  return (
    <Card
      title={t("The provider's script")}
      actions={
        <Action
          label={t("Change script")}
          title={t("Change how the provider treats submissions")}
          does={t("It applies to your submissions and refunds from now on.")}
          allowed={current !== undefined && allowMerchant("developer", "admin")}
          fields={
            <>
              <Select
                name="submissions"
                label={t("Submissions")}
                choices={Object.entries(submissionText)}
                value={current?.submissions}
              />
              <Select
                name="refunds"
                label={t("Refunds")}
                choices={Object.entries(refundText)}
                value={current?.refunds}
              />
            </>
          }
          request={(body) => ({ path: "/sandbox/provider", body })}
        />
      }
    >
      <Show of={script} rows={2}>
        {({ refunds, submissions }) => (
          <Facts
            of={[
              [t("Submissions"), submissionText[submissions] ?? words(submissions)],
              [t("Refunds"), refundText[refunds] ?? words(refunds)]
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

const DueWorkCard = () => (
  <Card
    title={t("Due work")}
    actions={
      <Action<{ readonly steps: number; readonly deliveries_pending: number }>
        label={t("Run now")}
        title={t("Run what is due")}
        does={t("Jobs that are due, and those that they make due, run before the answer comes.")}
        allowed={allowMerchant("developer", "admin")}
        request={() => ({ path: "/sandbox/settle", body: {} })}
        done={({ data: { deliveries_pending, steps } }) => (
          <p>
            {t("{count} job ran.|{count} jobs ran.", { count: steps })}{" "}
            {t("{count} delivery waits for its next attempt.|{count} deliveries wait for their next attempt.", {
              count: deliveries_pending
            })}
          </p>
        )}
      />
    }
  >
    <p class="dim">{t("The service runs due work by itself, unless its dispatcher is off.")}</p>
  </Card>
)

export const SandboxPage = () => {
  if (session.value?.environment !== "test")
    return (
      <Page title={t("Sandbox")}>
        <Empty title={t("There is no sandbox in live")}>
          {t("Money is real here. Use a test environment to try things.")}
        </Empty>
      </Page>
    )
  return (
    <Page title={t("Sandbox")} lead={t("Make the simulated provider act, and move the clock.")}>
      <div class="grid">
        <PayinCard />
        <ClockCard />
      </div>
      <OutcomesCard />
      <div class="grid">
        <VerdictsCard />
        <ProviderScriptCard />
        <DueWorkCard />
      </div>
    </Page>
  )
}
