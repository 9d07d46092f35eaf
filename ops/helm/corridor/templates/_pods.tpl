{{/* What all objects of a release have in common, and the pods that run the server. */}}

{{- define "corridor.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The labels that choose the pods of a component. Call it with (list $ "api"). */}}
{{- define "corridor.selector" -}}
app.kubernetes.io/name: corridor
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* The labels of an object: of a component, or with "" of the release. */}}
{{- define "corridor.labels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: corridor
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
{{- end }}

{{/* What every pod has: no token of the cluster, no root, and where it may run. */}}
{{- define "corridor.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "corridor.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end }}

{{/* The deployment of a component and its disruption budget. Call it with (list $ "api" "off"): whether it runs jobs. */}}
{{- define "corridor.deployment" -}}
{{- $root := index . 0 }}
{{- $component := index . 1 }}
{{- $dispatcher := index . 2 }}
{{- $of := index $root.Values $component }}
{{- if ge (int $of.minAvailable) (int $of.replicas) }}
{{- fail (printf "%s.minAvailable is %d: with %d replicas, no node could be drained" $component (int $of.minAvailable) (int $of.replicas)) }}
{{- end }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $root.Release.Name }}-{{ $component }}
  labels:
    {{- include "corridor.labels" (list $root $component) | nindent 4 }}
spec:
  replicas: {{ $of.replicas }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "corridor.selector" (list $root $component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "corridor.selector" (list $root $component) | nindent 8 }}
      annotations:
        # Other settings are other pods.
        checksum/settings: {{ toYaml $root.Values.settings | sha256sum }}
    spec:
      {{- include "corridor.pod" $root | nindent 6 }}
      # Longer than preStop and the ten seconds in which a stopping server finishes requests and jobs.
      terminationGracePeriodSeconds: 40
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "corridor.selector" (list $root $component) | nindent 14 }}
      containers:
        - name: corridor
          image: {{ include "corridor.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: {{ toJson $root.Values.args }}
          ports:
            - name: http
              containerPort: 8080
          env:
            - name: CORRIDOR_DISPATCHER
              value: {{ $dispatcher | quote }}
          envFrom:
            - configMapRef:
                name: {{ $root.Release.Name }}
            - secretRef:
                name: {{ $root.Values.secretName }}
          startupProbe:
            httpGet:
              path: /health/live
              port: http
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet:
              path: /health/live
              port: http
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # Ready: the store answers, and the clock of the node is right.
          readinessProbe:
            httpGet:
              path: /health/ready
              port: http
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          {{- if eq $component "api" }}
          # The endpoint is removed while this runs, so that no new connection is refused.
          lifecycle:
            preStop:
              exec:
                command: ["node", "-e", "setTimeout(() => {}, 10_000)"]
          {{- end }}
          resources:
            {{- toYaml $of.resources | nindent 12 }}
          securityContext:
            {{- include "corridor.containerSecurity" $root | nindent 12 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $root.Release.Name }}-{{ $component }}
  labels:
    {{- include "corridor.labels" (list $root $component) | nindent 4 }}
spec:
  minAvailable: {{ $of.minAvailable }}
  selector:
    matchLabels:
      {{- include "corridor.selector" (list $root $component) | nindent 6 }}
{{- end }}
